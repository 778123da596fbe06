import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { FresnelError, type Slot, toSlot } from '@fresnel/domain/primitives';
import { secureChannel } from '@fresnel/platform/grpc';
import { wallClock } from '@fresnel/platform/time';
import { type ChannelOptions, Client, type ClientDuplexStream, credentials, Metadata } from '@grpc/grpc-js';
import {
  ReplayInfoRequestSchema,
  type ReplayInfoResponse,
  ReplayInfoResponseSchema,
  type SubscribeRequest,
  SubscribeRequestSchema,
  type Update,
  UpdateSchema,
} from '../generated/geyser-subset_pb';

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

export type SubscribeCall = ClientDuplexStream<SubscribeRequest, Update>;

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

/** A connection with one subscription. */
export interface Subscription {
  call: SubscribeCall;
  close: () => void;
}

/** Connects and opens a subscription without filters. Failures are emitted as errors of the call. */
export function openSubscription(endpoint: GeyserEndpoint): Subscription {
  const { client, metadata } = connect(endpoint);
  const { path, encode } = SUBSCRIBE;
  const call = client.makeBidiStreamRequest(path, encode, decodeUpdate, metadata);
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
  const { path, encode, decode } = REPLAY_INFO;
  return new Promise((resolve) => {
    const deadline = wallClock() + REPLAY_INFO_MS;
    const call = client.makeUnaryRequest(
      path,
      encode,
      decode,
      create(ReplayInfoRequestSchema),
      metadata,
      { deadline },
      (_, answer) => {
        signal.removeEventListener('abort', onAbort);
        client.close();
        resolve(toReplayStart(answer));
      },
    );
    const onAbort = () => {
      call.cancel();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

function toReplayStart(answer: ReplayInfoResponse | undefined): Slot | null {
  const slot = Number(answer?.firstAvailable ?? NaN);
  return Number.isSafeInteger(slot) ? toSlot(slot) : null;
}

function connect(endpoint: GeyserEndpoint): { client: Client; metadata: Metadata } {
  const { target, isSecure } = parseGeyserUrl(endpoint.url);
  const secure = isSecure ? secureChannel(target) : null;
  const client = new Client(target, secure?.credentials ?? credentials.createInsecure(), {
    ...CHANNEL_OPTIONS,
    ...secure?.options,
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

/** What is sent, and what is read of the answers. */
const SUBSCRIBE = methodOf('Subscribe', SubscribeRequestSchema, UpdateSchema);
const REPLAY_INFO = methodOf('SubscribeReplayInfo', ReplayInfoRequestSchema, ReplayInfoResponseSchema);

function methodOf<Request extends DescMessage, Response extends DescMessage>(
  name: string,
  request: Request,
  response: Response,
) {
  return {
    path: `/geyser.Geyser/${name}`,
    encode: (message: MessageShape<Request>) => Buffer.from(toBinary(request, message)),
    decode: (bytes: Buffer) => fromBinary(response, bytes, { readUnknownFields: false }),
  };
}

/** Reads an update of a subscription. */
export function decodeUpdate(bytes: Buffer): Update {
  return SUBSCRIBE.decode(bytes);
}
