/** Record header: version of the message, in decimal digits. Required to decode the value. */
export const VERSION_HEADER = 'fresnel-version';

/** Record header: kind of the message, for tools that do not decode the value. */
export const KIND_HEADER = 'fresnel-kind';
