/**
 * The key of a client's window. Its hash tag, the part in braces, assigns it to a node of a Redis Cluster. One window
 * is one key, so a script uses one node only.
 *
 * @param prefix prefix of all keys of a deployment, so that deployments can share a Redis; contains no braces
 */
export function windowKey(prefix: string, client: string): string {
  return `${prefix}fresnel:rate-limit:{${client}}`;
}
