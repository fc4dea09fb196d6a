import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { playCall } from '../voice/calls.ts';
import { callOutcomes } from '../voice/report.ts';
import { untilDialed } from '../voice/until-dialed.ts';
import type { World } from '../world.ts';
import { controlRoute, done } from './control-route.ts';
import { ownNumber, phoneNumber } from './fields.ts';

const ending = {
  outcome: z.enum(callOutcomes),
  duration_s: z.number().nonnegative().max(86_400).default(0),
  /** Text, or turns as the voice platform records them. */
  transcript: z.json().optional(),
  recording_url: z.url().nullish(),
  /** Whether the recording is reported by a webhook after the call, and not by the agent. */
  recording_follows: z.boolean().default(false),
  extracted_variables: z.record(z.string(), z.json()).default({}),
};
const call = z.discriminatedUnion('direction', [
  z.object({ direction: z.literal('inbound'), from: phoneNumber(), to: ownNumber(), ...ending }),
  z.object({ direction: z.literal('outbound'), from: ownNumber(), to: phoneNumber(), ...ending }),
]);

/** What a person or a test can make happen on the voice platform. */
export function registerVoiceControls(app: FastifyInstance, world: World): void {
  controlRoute(app, '/control/calls', call, async (input) => {
    const played = {
      direction: input.direction,
      to: input.to,
      from: input.from,
      outcome: input.outcome,
      durationS: input.duration_s,
      transcript: input.transcript ?? null,
      recordingUrl: input.recording_url ?? null,
      recordingFollows: input.recording_follows,
      extractedVariables: input.extracted_variables,
    };
    if (input.direction === 'outbound') await untilDialed(world.pool, input.to, input.from);
    const { call, report } = await world.change((db, tell) => playCall(db, tell, played, world.clock.now()));
    return done({ call_id: call.sip_call_id, room: call.room_name, ...report });
  });
}
