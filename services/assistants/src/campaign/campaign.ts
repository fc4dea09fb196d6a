import type { CampaignCreated, CampaignEvent, createCampaign, OperationInput } from '@parley/contracts';
import type { Fold } from '@parley/event-store';
import type { z } from 'zod';

/** How a campaign reaches out: by calls, chat messages or SMS. */
export type Channel = OperationInput<typeof createCampaign>['channel'];

/** What a campaign is told to do. */
export type CampaignSettings = Omit<z.output<typeof CampaignCreated.data>, 'created_at'>;

/** Null before it is created. Its account stands on the stream's events; times are ISO 8601. */
export type Campaign = {
  readonly settings: CampaignSettings;
  readonly isRunning: boolean;
  /** When it was started last; null before that. */
  readonly startedAt: string | null;
  /** When it was deleted; nothing is begun after that. */
  readonly deletedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
} | null;

export const campaignCategory = 'campaign';
export const campaignStream = (id: number): string => `${campaignCategory}-${id}`;

/** The campaign as customers know it: a deleted one is not there. */
export const living = (state: Campaign): Campaign => (state?.deletedAt === null ? state : null);

export const campaign: Fold<Campaign, CampaignEvent> = {
  initialState: null,
  evolve(state, event) {
    switch (event.type) {
      case 'CampaignCreated': {
        const { created_at: createdAt, ...settings } = event.data;
        return {
          settings,
          isRunning: false,
          startedAt: null,
          deletedAt: null,
          createdAt,
          updatedAt: createdAt,
        };
      }
      case 'CampaignRenamed':
        return changedSettings(state, { name: event.data.name }, event.data.at);
      case 'CampaignSettingsChanged':
        // In TypeScript the schema's optional fields may be undefined; in JSON such a field is absent.
        return changedSettings(state, event.data.changed as Partial<CampaignSettings>, event.data.at);
      case 'CampaignStarted': {
        const { at } = event.data;
        return state && { ...state, isRunning: true, startedAt: at, updatedAt: at };
      }
      case 'CampaignStopped':
        return state && { ...state, isRunning: false, updatedAt: event.data.at };
      case 'CampaignDeleted':
        return state && { ...state, isRunning: false, deletedAt: event.data.at };
      default:
        return state;
    }
  },
};

const changedSettings = (state: Campaign, changed: Partial<CampaignSettings>, updatedAt: string): Campaign =>
  state && { ...state, settings: { ...state.settings, ...changed }, updatedAt };
