import { LIVE_PROGRAMS, type ParsedTransaction, TransactionParser } from '@fresnel/domain/events';

const known = new Map<string, ParsedTransaction | null>();

/** Parses each transaction once: all seeds of a chain read the same ones. */
export class RememberingParser extends TransactionParser {
  constructor() {
    super(LIVE_PROGRAMS);
  }

  override parse(json: string): ParsedTransaction | null {
    const remembered = known.get(json);
    if (remembered !== undefined) return remembered;
    const parsed = super.parse(json);
    known.set(json, parsed);
    return parsed;
  }
}
