import { type Route } from 'playwright-core';

const KEY = '11111111111111111111111111111112';
const SIGNATURE = '2'.repeat(88);
const SCRIPT = '<img src=x onerror="globalThis.hacked = true"><script>globalThis.hacked = true</script>';
/** A right-to-left override, a lone surrogate in UTF-8, a NUL, and a script. */
const DATA = Buffer.concat([
  Buffer.from(`\u202e\u0000${SCRIPT}`),
  Buffer.from([0xed, 0xa0, 0x80, 0xff]),
  Buffer.alloc(100_000, 0x41),
]).toString('base64');
const MAX_U64 = '18446744073709551615';

const ACCOUNT = `{"hash":"${KEY}","address":null,"owner":"${KEY}","lamports":${MAX_U64},"leafIndex":0,"seq":null,"slotCreated":1,
"data":{"discriminator":${MAX_U64},"data":"${DATA}","dataHash":"${KEY}"},"proveByIndex":true,
"merkleContext":{"treeType":3,"tree":"${KEY}","queue":"${KEY}","cpiContext":null,"nextTreeContext":null}}`;

const TOKEN = `{"mint":"${KEY}","owner":"${KEY}","amount":${MAX_U64},"delegate":null,"state":"initialized","tlv":"${DATA}"}`;

const ANSWERS: Record<string, string> = {
  getCompressionSignaturesForAccount: `{"context":{"slot":1},"value":{"items":[{"signature":"${SIGNATURE}","slot":1,"blockTime":1}]}}`,
  getCompressedAccountV2: `{"context":{"slot":1},"value":${ACCOUNT}}`,
  getTransactionWithCompressionInfoV2: `{"transaction":{"slot":1,"transaction":["","base64"],"blockTime":1,
"meta":{"fee":5000,"logMessages":[${JSON.stringify(SCRIPT)},"\\ud800\\u202e"]}},
"compressionInfo":{"closedAccounts":[],"openedAccounts":[{"account":${ACCOUNT},"optionalTokenData":${TOKEN}}]}}`,
};

/** Answers the calls of a page with an account whose contents were made to do harm. Other methods are unknown. */
export async function answerHostile(route: Route): Promise<void> {
  const { method } = route.request().postDataJSON() as { method: string };
  const result = ANSWERS[method] as string | undefined;
  const member = result ? `"result":${result}` : `"error":{"code":-32601,"message":${JSON.stringify(SCRIPT)}}`;
  await route.fulfill({ contentType: 'application/json', body: `{"jsonrpc":"2.0","id":"explorer",${member}}` });
}
