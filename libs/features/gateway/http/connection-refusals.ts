import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import {
  ALLOWED_VERBS,
  JSON_TYPE,
  LARGE_HEADERS,
  NOT_HTTP,
  type Refusal,
  refusalText,
  TOO_SLOW,
  WRONG_VERB,
} from './refusal';

/** Answers what is not a request, or did not become one in time, and hangs up. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  hangUp(socket, refusalOf(error.code), '');
}

/** CONNECT asks for a tunnel, which never becomes an ordinary request. */
export function refuseTunnel(_: IncomingMessage, socket: Duplex): void {
  hangUp(socket, WRONG_VERB, `Allow: ${ALLOWED_VERBS}\r\n`);
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return TOO_SLOW;
  return code === 'HPE_HEADER_OVERFLOW' ? LARGE_HEADERS : NOT_HTTP;
}

function hangUp(socket: Duplex, refusal: Refusal, headers: string): void {
  const { httpStatus } = refusal;
  const text = refusalText(refusal);
  const head =
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}\r\n` +
    `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n${headers}Connection: close\r\n\r\n`;
  socket.once('error', () => undefined);
  socket.end(head + text, () => {
    socket.destroy();
  });
}
