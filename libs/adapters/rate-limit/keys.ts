/**
 * The key of a client's window. One key holds all of it, and Redis Cluster places it by its hash tag, the part in braces, so
 * the script that takes points uses one node only.
 *
 * @param prefix put before the key, so that deployments can share a Redis; contains no braces
 */
export function windowKey(prefix: string, client: string): string {
  return `${prefix}fresnel:rate-limit:{${client}}`;
}
