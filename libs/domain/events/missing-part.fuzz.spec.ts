import { generateLedger } from '@fresnel/ledger-generator';
import { fuzz, hostileJson } from '@fresnel/testing/generic';
import { MalformedBlockError } from './block';
import { findMissingPart } from './missing-part';

const TEXTS = [...generateLedger({ seed: 23, slots: 60, transactionsPerSlot: 3 })].flatMap(({ facts }) =>
  facts.transactions.map(({ members }) => `{${members}}`),
);
const json = TEXTS.find((text) => text.includes('"readonly":[]')) ?? '';

describe('findMissingPart', () => {
  it('gives a value or throws MalformedBlockError for any text', () => {
    fuzz(hostileJson(TEXTS.slice(0, 60)), findMissingPart, {
      throws: [MalformedBlockError],
      known: [json.replace('"readonly":[]', '"readonly":["3Bxs494xNTZza1dZ"]')],
    });
  });
});
