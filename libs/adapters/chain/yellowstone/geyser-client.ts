import { join } from 'node:path';
import { type ChannelOptions, Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import { loadSync, type MethodDefinition, type Options, type PackageDefinition } from '@grpc/proto-loader';
import { FresnelError, type Slot, toSlot } from '@fresnel/domain/primitives';
import { wallClock } from '@fresnel/platform/time';

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
  const { client, metadata } = connect(endpoint);
  const { path, encode, decode } = geyserMethods().subscribe;
  const call = client.makeBidiStreamRequest(path, encode, decode, metadata);
  return {
    call,
    close: () => {
      call.cancel();
      client.close();
    },
  };
}

/** The server must answer within this time. Many do not know the question. */
const REPLAY_INFO_MS = 5_000;

/**
 * Asks for the oldest slot that a subscription can start from.
 *
 * @returns null if the server does not say, or the signal aborts
 */
export function findReplayStart(endpoint: GeyserEndpoint, signal: AbortSignal): Promise<Slot | null> {
  const { client, metadata } = connect(endpoint);
  const { path, encode, decode } = geyserMethods().replayInfo;
  return new Promise((resolve) => {
    const deadline = wallClock() + REPLAY_INFO_MS;
    const call = client.makeUnaryRequest(path, encode, decode, {}, metadata, { deadline }, (_, answer) => {
      signal.removeEventListener('abort', onAbort);
      client.close();
      resolve(toReplayStart(answer));
    });
    const onAbort = () => {
      call.cancel();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

function toReplayStart(answer: object | undefined): Slot | null {
  const slot = answer && 'firstAvailable' in answer ? Number(answer.firstAvailable) : NaN;
  return Number.isSafeInteger(slot) ? toSlot(slot) : null;
}

function connect(endpoint: GeyserEndpoint): { client: Client; metadata: Metadata } {
  const { target, isSecure } = parseGeyserUrl(endpoint.url);
  const channel = isSecure ? credentials.createSsl() : credentials.createInsecure();
  const client = new Client(target, channel, {
    ...CHANNEL_OPTIONS,
    // A full block is larger than the default limit of 4 MB.
    'grpc.max_receive_message_length': endpoint.maxMessageBytes ?? MAX_MESSAGE_BYTES,
  });
  const metadata = new Metadata();
  if (endpoint.token !== null) metadata.set('x-token', endpoint.token);
  return { client, metadata };
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
  return geyserMethods().subscribe.decode(bytes);
}

interface GeyserMethod {
  path: string;
  encode: (request: object) => Buffer;
  decode: (bytes: Buffer) => object;
}

let cached: Record<'subscribe' | 'replayInfo', GeyserMethod> | null = null;

/** Encodes requests with the full definition; decodes only the needed fields of updates. */
function geyserMethods(): Record<'subscribe' | 'replayInfo', GeyserMethod> {
  if (cached) return cached;
  const folder = join(__dirname, 'proto');
  const load = (file: string) => loadSync(file, { ...PROTO_OPTIONS, includeDirs: [folder] });
  const { Subscribe, SubscribeReplayInfo } = findService(load('geyser.proto'), 'geyser.Geyser');
  const view = findService(load('block-view.proto'), 'fresnel.geyser.BlockView');
  const toMethod = ({ path, requestSerialize }: typeof Subscribe, { responseDeserialize }: typeof Subscribe) => ({
    path,
    encode: requestSerialize,
    decode: responseDeserialize,
  });
  cached = {
    subscribe: toMethod(Subscribe, view.Subscribe),
    replayInfo: toMethod(SubscribeReplayInfo, SubscribeReplayInfo),
  };
  return cached;
}

function findService(
  definitions: PackageDefinition,
  service: string,
): Record<string, MethodDefinition<object, object>> {
  const definition = definitions[service];
  if ('format' in definition) throw new TypeError(`${service} is not a service`);
  return definition;
}
