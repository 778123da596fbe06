import { type NodeRpc } from '@fresnel/adapters/chain';
import { InvalidParamsError } from '@fresnel/contracts/rpc';
import { MethodNotFoundError } from '../responses/method-not-found.error';
import { type RpcMethod } from './rpc-method';

/** A method of the Solana node, which answers it. With `isOfPrivateChains`, only if its chain is no public cluster. */
export class ForwardedMethod implements RpcMethod {
  constructor(
    readonly name: string,
    private readonly node: NodeRpc,
    private readonly isOfPrivateChains = false,
  ) {}

  async call(params: unknown): Promise<string> {
    requireExact(params);
    if (this.isOfPrivateChains && (await this.node.isPublicCluster())) throw new MethodNotFoundError(this.name);
    return this.node.forward(this.name, params);
  }
}

/** @throws InvalidParamsError for params that would not arrive as they were sent */
export function requireExact(params: unknown): void {
  try {
    JSON.stringify(params, (_, value: unknown) => {
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
      if (Number.isInteger(value) || !Number.isFinite(value)) {
        throw new InvalidParamsError('integers must be between -(2^53-1) and 2^53-1');
      }
      return value;
    });
  } catch (error) {
    if (error instanceof RangeError) throw new InvalidParamsError('params are nested too deeply');
    throw error;
  }
}
