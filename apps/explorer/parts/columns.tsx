import { type AccountV2, type SignatureItem, type TokenAccountV2 } from '@fresnel/client';
import { formatInteger, formatSol } from '../values/format';
import { type Column } from './paged-table';
import { Key, Slot, Time } from './values';

export const SIGNATURE_COLUMNS: Column<SignatureItem>[] = [
  { name: 'Signature', show: ({ signature }) => <Key text={signature} name="signature" view="tx" isShort /> },
  { name: 'Slot', isNumber: true, show: ({ slot }) => <Slot slot={slot} /> },
  { name: 'Time', show: ({ blockTime }) => <Time seconds={blockTime} /> },
];

export const ACCOUNT_COLUMNS: Column<AccountV2>[] = [
  { name: 'Account', show: ({ hash }) => <Key text={hash} name="hash" view="account" isShort /> },
  {
    name: 'Address',
    show: ({ address }) => (address === null ? '–' : <Key text={address} name="address" view="account" isShort />),
  },
  { name: 'Balance', isNumber: true, show: ({ lamports }) => formatSol(lamports) },
  { name: 'Created in slot', isNumber: true, show: ({ slotCreated }) => <Slot slot={slotCreated} /> },
];

export const TOKEN_ACCOUNT_COLUMNS: Column<TokenAccountV2>[] = [
  { name: 'Account', show: ({ account }) => <Key text={account.hash} name="hash" view="account" isShort /> },
  { name: 'Mint', show: ({ tokenData }) => <Key text={tokenData.mint} name="mint" view="mint" isShort /> },
  { name: 'Amount', isNumber: true, show: ({ tokenData }) => formatInteger(tokenData.amount) },
  { name: 'State', show: ({ tokenData }) => tokenData.state },
];
