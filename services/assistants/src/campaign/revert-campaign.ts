import { updateCampaignStatus } from '@parley/contracts';
import type { RevertOf } from '@parley/service-kit';

/** Undoes a start by a stop and a stop by a start; nothing else of a campaign changes. */
export const revertCampaign: RevertOf = ({ id, before }) => ({
  operation: updateCampaignStatus,
  input: { campaign_id: Number(id), action: before.status === 'running' ? 'start' : 'stop' },
});
