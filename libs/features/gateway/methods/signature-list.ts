import { encodeSignatureCursor, SignatureItem } from '@fresnel/contracts/rpc';
import { presentSignature } from '../present/signature.presenter';

/** What the paginated lists of signatures have in common. */
export const SIGNATURE_LIST = {
  item: SignatureItem,
  present: presentSignature,
  encodeCursor: encodeSignatureCursor,
};
