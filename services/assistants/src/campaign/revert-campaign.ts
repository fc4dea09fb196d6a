import { updateCampaignStatus } from '@parley/contracts';
import type { RevertOf } from '@parley/service-kit';

/** Started campaigns are stopped again, stopped ones started; nothing else of them changes. */
export const revertCampaign: RevertOf = ({ id, before }) => ({
  operation: updateCampaignStatus,
  input: { campaign_id: Number(id), action: before.status === 'running' ? 'start' : 'stop' },
});
