import { type AccountV2, type CompressionInfoV2, type TokenData } from '@fresnel/client';
import { countBytes } from '../values/bytes';
import { formatInteger, formatSol } from '../values/format';
import { Key } from './values';

/** The accounts that a transaction closed, and those that it opened instead. */
export function AccountFlow({ closedAccounts, openedAccounts }: CompressionInfoV2) {
  if (closedAccounts.length + openedAccounts.length === 0) {
    return (
      <p className="empty">
        No accounts: this transaction changed trees or queues only. Foresters, programs for this work, send such
        transactions to write to trees what waits in queues.
      </p>
    );
  }
  return (
    <>
      <p>
        A compressed account never changes. A transaction closes accounts, and opens others in their place: with the new
        balance, owner or data, and with a new hash. The chain stores only the trees of the hashes.
      </p>
      <div className="flow">
        <div>
          <h3>Closed ({closedAccounts.length})</h3>
          {closedAccounts.length === 0 && <p>None: what was opened is new.</p>}
          {closedAccounts.map(({ account, optionalTokenData }) => (
            <Card key={account.account.hash} kind="closed" account={account.account} token={optionalTokenData} />
          ))}
        </div>
        <span className="arrow" role="img" aria-label="became">
          →
        </span>
        <div>
          <h3>Opened ({openedAccounts.length})</h3>
          {openedAccounts.length === 0 && <p>None.</p>}
          {openedAccounts.map(({ account, optionalTokenData }) => (
            <Card key={account.hash} kind="opened" account={account} token={optionalTokenData} />
          ))}
        </div>
      </div>
    </>
  );
}

function Card({ kind, account, token }: { kind: string; account: AccountV2; token: TokenData | null }) {
  const { hash, address, owner, lamports, data } = account;
  return (
    <article className={kind}>
      <strong>{token ? 'Tokens' : 'Account'}</strong> <Key text={hash} name="hash" view="account" isShort />
      <br />
      {token ? (
        <>
          {formatInteger(token.amount)} of mint <Key text={token.mint} name="mint" view="mint" isShort />
        </>
      ) : (
        <>
          {formatSol(lamports)}
          {data && `, ${formatInteger(countBytes(data.data))} bytes of data`}
        </>
      )}
      <br />
      {token?.state === 'frozen' && 'frozen, '}
      owner <Key text={token ? token.owner : owner} name="owner" view="owner" isShort />
      {address !== null && (
        <>
          , address <Key text={address} name="address" view="account" isShort />
        </>
      )}
    </article>
  );
}
