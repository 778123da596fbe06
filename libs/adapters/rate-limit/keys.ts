const PREFIX = 'fresnel:rate-limit';

/**
 * Where a client's window is. One key holds all of it, and a cluster places it by what stands in the braces, so a script
 * that takes points touches one node only.
 */
export function windowKey(client: string): string {
  return `${PREFIX}:{${client}}`;
}
