/** A public cluster, and the first slot with ZK Compression on it if there is one. */
interface Cluster {
  firstSlot: number | null;
}

/** The public clusters by genesis hash: mainnet, devnet and testnet. */
export const PUBLIC_CLUSTERS: ReadonlyMap<string, Cluster> = new Map([
  ['5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', { firstSlot: 286_193_746 }],
  ['EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', { firstSlot: 319_998_226 }],
  ['4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY', { firstSlot: null }],
]);
