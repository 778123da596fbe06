import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import {
  ALLOWED_METHODS,
  type ErrorResponse,
  errorResponseText,
  HEADERS_TOO_LARGE,
  JSON_TYPE,
  MALFORMED_HTTP,
  METHOD_NOT_ALLOWED,
  REQUEST_TIMEOUT,
} from '../responses/error-response';

/** Handles Node's `clientError`: sends an error response for a malformed or incomplete request and closes the connection. */
export function rejectConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  sendAndClose(socket, responseTo(error.code), '');
}

/** Handles Node's `connect` event. CONNECT asks for a tunnel and never reaches Fastify. */
export function rejectTunnel(_: IncomingMessage, socket: Duplex): void {
  sendAndClose(socket, METHOD_NOT_ALLOWED, `Allow: ${ALLOWED_METHODS}\r\n`);
}

function responseTo(code: string | undefined): ErrorResponse {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return REQUEST_TIMEOUT;
  return code === 'HPE_HEADER_OVERFLOW' ? HEADERS_TOO_LARGE : MALFORMED_HTTP;
}

function sendAndClose(socket: Duplex, response: ErrorResponse, headers: string): void {
  const { httpStatus } = response;
  const text = errorResponseText(response);
  const head =
    `HTTP/1.1 ${httpStatus} ${STATUS_CODES[httpStatus] ?? ''}\r\n` +
    `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n${headers}Connection: close\r\n\r\n`;
  socket.once('error', () => undefined);
  socket.end(head + text, () => {
    socket.destroy();
  });
}
