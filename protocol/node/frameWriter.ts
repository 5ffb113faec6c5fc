// One message as a frame into the socket's own queue, so that its length is all that the peer has left unread.
// vscode-jsonrpc's own writer waits for each message to leave, and keeps the others where nobody counts them.
import type { Socket } from "node:net";

/** Never fails: a connection that ends says so itself, and to everyone who waits for an answer. */
export function writeFrame(socket: Socket, message: unknown, backlogLimitBytes: number): void {
  if (socket.writableLength > backlogLimitBytes) socket.destroy();
  if (!socket.writable) return;
  const body = Buffer.from(JSON.stringify(message));
  socket.cork();
  socket.write(`Content-Length: ${body.length}\r\n\r\n`);
  socket.write(body);
  socket.uncork();
}
