/** Header of a record: the version of its message, in decimal digits. A reader needs it before it can read the bytes. */
export const VERSION_HEADER = 'fresnel-version';

/** Header of a record: the kind of its message, for people and tools that do not read the bytes. */
export const KIND_HEADER = 'fresnel-kind';
