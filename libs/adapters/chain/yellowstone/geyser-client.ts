import { join } from 'node:path';
import { type ChannelOptions, Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type Options, type PackageDefinition } from '@grpc/proto-loader';
import { FresnelError } from '@fresnel/domain/primitives';

export interface GeyserEndpoint {
  /** `https://` or `http://`; may contain a key, so it is never logged. */
  url: string;
  /** Sent as `x-token`; never logged. */
  token: string | null;
  /** Maximum size of a message, also after decompression. A larger one ends the subscription. */
  maxMessageBytes?: number;
}

/** The configured URL of the stream is invalid. */
export class GeyserEndpointError extends FresnelError {
  readonly code = 'geyser-endpoint';
  readonly isRetryable = false;
}

export type SubscribeCall = ClientDuplexStream<object, object>;

/** Many times the largest block. */
const MAX_MESSAGE_BYTES = 128 * 2 ** 20;

const CHANNEL_OPTIONS: ChannelOptions = {
  // A full block is many times larger than the default flow control window.
  'grpc-node.flow_control_window': 8 * 2 ** 20,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  // `BlockStream` does the backoff, not the channel.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.enable_retries': 0,
};

const PROTO_OPTIONS: Options = { longs: String, defaults: true, oneofs: true };

/** A connection with one subscription. */
export interface Subscription {
  call: SubscribeCall;
  close: () => void;
}

/** Connects and opens a subscription without filters. Failures are emitted as errors of the call. */
export function openSubscription(endpoint: GeyserEndpoint): Subscription {
  const { target, isSecure } = parseGeyserUrl(endpoint.url);
  const channel = isSecure ? credentials.createSsl() : credentials.createInsecure();
  const client = new Client(target, channel, {
    ...CHANNEL_OPTIONS,
    // A full block is larger than the default limit of 4 MB.
    'grpc.max_receive_message_length': endpoint.maxMessageBytes ?? MAX_MESSAGE_BYTES,
  });
  const metadata = new Metadata();
  if (endpoint.token !== null) metadata.set('x-token', endpoint.token);
  const { path, encode, decode } = subscribeMethod();
  const call = client.makeBidiStreamRequest(path, encode, decode, metadata);
  return {
    call,
    close: () => {
      call.cancel();
      client.close();
    },
  };
}

/** @throws GeyserEndpointError without repeating the URL */
export function parseGeyserUrl(text: string): { target: string; isSecure: boolean } {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new GeyserEndpointError('the URL of the gRPC stream must start with https:// or http://');
  }
  const isSecure = url.protocol === 'https:';
  const port = url.port === '' ? (isSecure ? '443' : '80') : url.port;
  return { target: `${url.hostname}:${port}`, isSecure };
}

/** The fields of `block-view.proto` in a `SubscribeUpdate`. */
export function decodeUpdate(bytes: Buffer): object {
  return subscribeMethod().decode(bytes);
}

interface SubscribeMethod {
  path: string;
  encode: (request: object) => Buffer;
  decode: (bytes: Buffer) => object;
}

let cached: SubscribeMethod | null = null;

/** Encodes requests with the full definition; decodes only the needed fields of updates. */
function subscribeMethod(): SubscribeMethod {
  if (cached) return cached;
  const folder = join(__dirname, 'proto');
  const load = (file: string) => loadSync(file, { ...PROTO_OPTIONS, includeDirs: [folder] });
  const { path, requestSerialize } = findMethod(load('geyser.proto'), 'geyser.Geyser');
  const { responseDeserialize } = findMethod(load('block-view.proto'), 'fresnel.geyser.BlockView');
  cached = { path, encode: requestSerialize, decode: responseDeserialize };
  return cached;
}

function findMethod(definitions: PackageDefinition, service: string): MethodDefinition<object, object> {
  const definition = definitions[service];
  if ('format' in definition) throw new TypeError(`${service} is not a service`);
  return definition.Subscribe;
}
