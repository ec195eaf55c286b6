// A server by the library `ws` that compresses, for tests/foreign.rs: `npm install ws`, and NODE_PATH to its node_modules.
//
// It answers a text with the same text; in fragments where the path says so. It prints its port, then for each connection
// what was agreed on and how many messages came, and ends when its input does.
const { WebSocketServer } = require('ws');

const without = process.argv[2] === 'without';
// Shorter messages than the threshold are sent as they are; 0 compresses all.
const perMessageDeflate = without ? false : { threshold: Number(process.argv[3] ?? 0) };
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate, maxPayload: 4_000_000 }, () => {
  console.log('port', server.address().port);
});
server.on('connection', (socket, request) => {
  let count = 0;
  socket.on('message', (data) => {
    count += 1;
    const text = data.toString();
    if (request.url === '/parts') {
      const third = Math.floor(text.length / 3);
      socket.send(text.slice(0, third), { fin: false });
      socket.send(text.slice(third, 2 * third), { fin: false });
      socket.send(text.slice(2 * third), { fin: true });
    } else {
      socket.send(text);
    }
  });
  socket.on('close', () => console.log('agreed', socket.extensions || 'nothing', 'messages', count));
});
process.stdin.on('end', () => process.exit(0)).resume();
