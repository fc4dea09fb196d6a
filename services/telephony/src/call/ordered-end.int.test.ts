import { getChatCallAnswer, getSipAccountOfSender, placeChatCall } from '@parley/contracts';
import { BusServer } from '@parley/message-bus/nest';
import { eventually, startLocalServer, startServiceCopies } from '@parley/testing';
import { expect, onTestFinished, test } from 'vitest';
import { telephonyService } from '../telephony-service.ts';

/** A voice platform that dials whenever it is let. */
async function startSlowPlatform() {
  const asked = Promise.withResolvers<void>();
  const dialed = Promise.withResolvers<void>();
  const url = await startLocalServer(async (incoming, outgoing) => {
    incoming.resume();
    if (incoming.url?.endsWith('/CreateSIPParticipant')) {
      asked.resolve();
      await dialed.promise;
    }
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { url, asked: asked.promise, dial: dialed.resolve };
}

/** What is asked of another service. */
async function startMessaging(natsUrl: string) {
  const server = new BusServer({ servers: [natsUrl], service: 'messaging' });
  const sip_account = { username: '14155550123', password: 'secret' };
  server.addHandler(`qry.messaging.${getSipAccountOfSender.name}`, async () => ({
    kind: 'ok',
    body: JSON.stringify({ sip_account }),
  }));
  await new Promise<void>((resolve, reject) => {
    server.listen((error) => (error ? reject(error) : resolve()));
  });
  return server;
}

test('a copy that ends in order puts on record what became of the calls it was dialing', async () => {
  const platform = await startSlowPlatform();
  const env = { LIVEKIT_URL: platform.url, PRICE_CALL_MINUTE: '0' };
  const telephony = await startServiceCopies(telephonyService, 1, env);
  const messaging = await startMessaging(telephony.natsUrl);
  onTestFinished(async () => {
    await messaging.close();
    await telephony.close();
  });
  const phones = { sender_phone: '+14155550123', customer_phone: '+4930901820' };
  const wanted = { sender_id: 7, ...phones, assistant_id: null };
  await telephony.ask(placeChatCall, wanted, { accountId: 3 });
  await platform.asked;
  const ending = telephony.stop();
  await eventually(() => expect(telephony.send(getChatCallAnswer, {}, { accountId: 3 })).rejects.toThrow());
  platform.dial();
  await ending;
  const { rows } = await telephony.pool.query('select type from es.events order by position');
  expect(rows.map(({ type }) => type)).toEqual(['CallRequested', 'CallDialed']);
});
