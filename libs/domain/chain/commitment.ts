/** How final the blocks are that are read, in the words of Solana's RPC. */
export const COMMITMENTS = ['confirmed', 'finalized'] as const;
export type Commitment = (typeof COMMITMENTS)[number];
