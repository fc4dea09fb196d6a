import type { CampaignCreated, CampaignEvent, createCampaign, OperationInput } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import type { z } from 'zod';

/** How a campaign reaches out: by calls, chat messages or SMS. */
export type Channel = OperationInput<typeof createCampaign>['channel'];

/** The settings of a campaign; they never change. */
export type CampaignSettings = Omit<z.output<typeof CampaignCreated.data>, 'created_at'>;

/** Null before it is created. Its account stands on the stream's events; times are ISO 8601. */
export type Campaign = {
  readonly settings: CampaignSettings;
  readonly isRunning: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
} | null;

export const campaignCategory = 'campaign';
export const campaignStream = (id: number): string => `${campaignCategory}-${id}`;

export const campaign: Fold<Campaign, CampaignEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'CampaignCreated': {
        const { created_at: createdAt, ...settings } = event.data;
        return { settings, isRunning: false, createdAt, updatedAt: createdAt };
      }
      case 'CampaignStarted':
      case 'CampaignStopped':
        return state && { ...state, isRunning: event.type === 'CampaignStarted', updatedAt: event.data.at };
      default:
        return state;
    }
  },
};
