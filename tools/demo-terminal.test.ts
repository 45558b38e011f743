import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { itInChromium, openWindow } from '../packages/provider/portal/src/testing/chromium.js';
import { openTerminal } from '../examples/demo/src/portal/terminal.js';

const answer = { kind: 'BindingResponse' };

/** A portal that binds at once. */
async function openPortal(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://portal');
    const back = new URL(searchParams.get('redirect_url') ?? '');
    back.searchParams.set('session_id', searchParams.get('session_id') ?? '');
    back.searchParams.set('binding_response', Buffer.from(JSON.stringify(answer)).toString('base64url'));
    response.writeHead(302, { location: back.href }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

itInChromium(
  'the terminal of the demo takes the answer, and its page asks for nothing that is not there',
  async () => {
    const portal = await openPortal();
    const terminal = await openTerminal(portal.url, 'cluster');
    const window = await openWindow();
    const missing: string[] = [];
    window.page.on('response', (response) => {
      if (response.status() >= 400) missing.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
    try {
      await window.page.goto(terminal.start.href);
      expect(await terminal.answer).toEqual(answer);
      // Browsers ask for an icon once a page has been shown: another page comes after that.
      await window.page.goto('about:blank');
      expect([missing, window.wrong]).toEqual([[], []]);
    } finally {
      await window.close();
      await terminal.close();
      portal.close();
    }
  },
  60_000,
);

it('the terminal of the demo takes no answer of another session', async () => {
  const portal = await openPortal();
  const terminal = await openTerminal(portal.url, 'cluster');
  const found = await fetch(new URL('/callback?session_id=other&binding_response=e30', terminal.start));
  expect(found.status).toBe(404);
  await terminal.close();
  portal.close();
});
