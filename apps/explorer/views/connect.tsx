import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../parts/states';
import { Copy } from '../parts/values';
import { RPC_URL } from '../rpc/client';
import { getIndexerSlot } from '../rpc/methods';
import { formatInteger } from '../values/format';

const EXAMPLES: { title: string; code: string }[] = [
  {
    title: 'A shell',
    code: `curl ${RPC_URL} -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"getIndexerSlot"}'`,
  },
  {
    title: 'TypeScript: @lightprotocol/stateless.js',
    code: `import { createRpc } from '@lightprotocol/stateless.js';

// The node, the index, the prover. If this index forwards to a node and a prover, one URL is enough.
const rpc = createRpc('https://your-node', '${RPC_URL}', '${RPC_URL}');
console.log(await rpc.getIndexerSlot());`,
  },
  {
    title: 'Rust: light-client',
    code: `use light_client::rpc::{LightClient, LightClientConfig, Rpc};

let rpc = LightClient::new(LightClientConfig {
    url: "https://your-node".into(),
    photon_url: Some("${RPC_URL.replace(/\/$/, '')}".into()),
    ..LightClientConfig::local()
})
.await?;`,
  },
  {
    title: 'TypeScript: helius-sdk',
    code: `import { createHelius } from 'helius-sdk';

const helius = createHelius({ apiKey: '', baseUrl: '${RPC_URL}' });
console.log(await helius.zk.getIndexerSlot());`,
  },
  {
    title: 'Subscriptions: @fresnel/client',
    code: `import { FresnelClient } from '@fresnel/client';

const client = new FresnelClient('${RPC_URL.replace(/^http/, 'ws')}');
for await (const message of client.messages('all')) console.log(message);`,
  },
];

/** How to use this index from programs. */
export function ConnectView() {
  const slot = useQuery({ queryKey: ['slot'], queryFn: getIndexerSlot });
  return (
    <>
      <p>
        This index answers the JSON-RPC API of ZK Compression at <code>{RPC_URL}</code>{' '}
        <Copy text={RPC_URL} name="URL" />. Any client of that API works with it. <a href="docs">All methods</a> can be
        tried in the browser.
      </p>
      <Loaded query={slot}>{(number) => <p>It is connected: slot {formatInteger(number)} is indexed.</p>}</Loaded>
      {EXAMPLES.map(({ title, code }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <Copy text={code} name={`example: ${title}`} />
          <pre className="data" tabIndex={0} aria-label={`Example: ${title}`}>
            {code}
          </pre>
        </section>
      ))}
    </>
  );
}
