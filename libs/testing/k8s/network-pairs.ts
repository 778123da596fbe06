import { type Manifest, matches, type Peer, type Rule, type Workload } from './manifests';

/** What a workload may connect to, and what may connect to it, apart from pods of the deployment. */
export const OUTSIDE = 'outside';
export const DNS = 'dns';

/**
 * Lists the connections that the network policies permit, as `client -> server`. A connection between two workloads counts if
 * both the egress of the client and the ingress of the server permit it.
 */
export function listPermittedPairs(manifests: readonly Manifest[], workloads: readonly Workload[]): string[] {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  const rulesOf = (workload: Workload, direction: 'ingress' | 'egress') =>
    policies
      .filter(({ spec }) => matches(workload.labels, spec?.podSelector))
      .flatMap(({ spec }) => spec?.[direction] ?? []);
  const pairs = workloads.flatMap((client) => {
    const egress = rulesOf(client, 'egress');
    const inside = workloads.filter(
      (server) =>
        egress.some((rule) => permits(rule, rule.to, server)) &&
        rulesOf(server, 'ingress').some((rule) => permits(rule, rule.from, client, server)),
    );
    const targets = inside.map(({ name }) => name);
    if (egress.some(({ to = [] }) => to.some(({ ipBlock }) => ipBlock))) targets.push(OUTSIDE);
    if (egress.some(({ to = [] }) => to.some(({ namespaceSelector }) => namespaceSelector))) targets.push(DNS);
    return targets.map((target) => `${client.name} -> ${target}`);
  });
  const open = workloads.filter((server) => rulesOf(server, 'ingress').some(({ from }) => from === undefined));
  return [...pairs, ...open.map(({ name }) => `${OUTSIDE} -> ${name}`)].sort();
}

/** @param server the workload whose ports the rule names; by default the peer itself */
function permits({ ports = [] }: Rule, peers: Peer[] | undefined, peer: Workload, server = peer): boolean {
  const isPeer = peers?.some(
    ({ podSelector, namespaceSelector, ipBlock }) =>
      podSelector && !namespaceSelector && !ipBlock && matches(peer.labels, podSelector),
  );
  if (!isPeer) return false;
  const names = server.pod.containers.flatMap(({ ports: own = [] }) => own.map(({ name }) => name));
  return ports.some(({ port }) => names.includes(String(port)));
}
