import { type TokenData } from '@fresnel/client';
import { useQuery } from '@tanstack/react-query';
import { SIGNATURE_COLUMNS } from '../parts/columns';
import { DataView } from '../parts/data-view';
import { PagedTable } from '../parts/paged-table';
import { ProofCheck } from '../parts/proof-check';
import { Loaded } from '../parts/states';
import { Fields, Key, Slot, Time } from '../parts/values';
import { findAccount, type FoundAccount } from '../rpc/find-account';
import { type Route } from '../routes';
import { describeTreeType, formatInteger, formatSol } from '../values/format';

/** A compressed account: what it is, where it came from, and the proof that it exists. */
export function AccountView({ route }: { route: Route }) {
  const key = route.subject;
  const query = useQuery({ queryKey: ['account', key], queryFn: () => findAccount(key) });
  return (
    <Loaded query={query} empty="This index has no account with this hash, and no open account at this address.">
      {(found) => <Details found={found} route={route} />}
    </Loaded>
  );
}

function Details({ found, route }: { found: FoundAccount; route: Route }) {
  const { account, token, createdBy, spentBy } = found;
  const { hash, address, owner, lamports, leafIndex, seq, data, merkleContext } = account;
  return (
    <>
      <p>
        {token && 'These are tokens of a wallet or program. '}
        This account is not stored on the chain, only its hash is: in a leaf of a tree.{' '}
        {spentBy ? 'It is spent: a transaction closed it.' : 'It is open: a transaction can still use it, once.'}
      </p>
      <Fields
        fields={{
          State: spentBy ? (
            <>
              spent by <Key text={spentBy.signature} name="signature" view="tx" isShort /> in slot{' '}
              <Slot slot={spentBy.slot} />, <Time seconds={spentBy.blockTime} />
            </>
          ) : (
            'open'
          ),
          Hash: <Key text={hash} name="hash" />,
          Address: address === null ? 'none' : <Key text={address} name="address" />,
          Owner: <Key text={owner} name="owner" view="owner" />,
          Balance: formatSol(lamports),
          Created: (
            <>
              by <Key text={createdBy.signature} name="signature" view="tx" isShort /> in slot{' '}
              <Slot slot={createdBy.slot} />, <Time seconds={createdBy.blockTime} />
            </>
          ),
          Tree: (
            <>
              <Key text={merkleContext.tree} name="tree" view="tree" isShort /> (
              {describeTreeType(merkleContext.treeType)})
            </>
          ),
          Leaf: formatInteger(leafIndex),
          Sequence: seq === null ? undefined : formatInteger(seq),
        }}
      />
      {token && <TokenFields token={token} />}
      {data && (
        <section aria-label="Data">
          <h2>Data</h2>
          <Fields
            fields={{
              Discriminator: formatInteger(data.discriminator),
              'Data hash': <Key text={data.dataHash} name="data hash" />,
            }}
          />
          <DataView base64={data.data} name="data" />
        </section>
      )}
      {!spentBy && <ProofCheck hash={hash} />}
      {spentBy && <p className="empty">A spent account needs no proof: nobody can use it again.</p>}
      {address !== null && (
        <PagedTable
          title="Transactions of its address"
          method="getCompressionSignaturesForAddress"
          empty="None."
          subject={{ address }}
          route={route}
          keyOf={({ signature }) => signature}
          columns={SIGNATURE_COLUMNS}
        />
      )}
    </>
  );
}

function TokenFields({ token }: { token: TokenData }) {
  const { mint, owner, amount, delegate, state, tlv } = token;
  return (
    <section aria-label="Token data">
      <h2>Token data</h2>
      <Fields
        fields={{
          Mint: <Key text={mint} name="mint" view="mint" />,
          'Token owner': <Key text={owner} name="token owner" view="owner" />,
          Amount: `${formatInteger(amount)} (in the smallest unit)`,
          Delegate: delegate === null ? 'none' : <Key text={delegate} name="delegate" view="owner" />,
          'Token state': state,
          Extensions: tlv === null ? 'none' : <DataView base64={tlv} name="extensions" />,
        }}
      />
    </section>
  );
}
