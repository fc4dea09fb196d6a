import { updateCampaign, updateCampaignStatus } from '@parley/contracts';
import { type RevertOf, revertBy } from '@parley/service-kit';

const revertUpdate = revertBy(updateCampaign);

/** Undoes a start by a stop and a stop by a start, and everything else by a change back. */
export const revertCampaign: RevertOf = (change) => {
  const { id, before } = change;
  if (before.status === undefined) return revertUpdate(change);
  const action = before.status === 'running' ? 'start' : 'stop';
  return { operation: updateCampaignStatus, input: { campaign_id: Number(id), action } };
};
