/** Record header: version of the message, in decimal digits. Required to decode the value. */
export const VERSION_HEADER = 'fresnel-version';

/** Record header: kind of the message, for tools that do not decode the value. */
export const KIND_HEADER = 'fresnel-kind';

/**
 * Header with the generation of the log for which a record was published. Positions are reset for the next generation, and
 * consumers skip the records of older ones: a producer that was frozen meanwhile publishes them.
 */
export const GENERATION_HEADER = 'fresnel-generation';

/** The generation of a log whose positions were never reset. */
export const FIRST_GENERATION = 1;
