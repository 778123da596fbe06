import { backfillCommand } from './backfill.command';

describe('fresnel backfill', () => {
  it.each([
    ['a price that is no number', ['--dry-run', '--price-per-call', 'much'], /--price-per-call requires a number/],
    ['a negative number of requests', ['--dry-run', '--sample-calls=-1'], /--sample-calls requires a number/],
    ['an unknown option', ['--samples', '4'], /Unknown option '--samples'/],
    ['no history source', [], /backfill requires SOLANA_RPC_URL and HISTORY_URL/],
    ['a dry run without a history source', ['--dry-run'], /backfill requires SOLANA_RPC_URL and HISTORY_URL/],
  ])('rejects %s', async (_, args, message) => {
    await expect(backfillCommand.run(args)).rejects.toThrow(message);
  });
});
