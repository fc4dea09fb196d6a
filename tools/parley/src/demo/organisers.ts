import { createFolder, createLabel } from '@parley/contracts';
import type { DemoPart } from './demo-part.ts';

export const organisers: DemoPart = {
  name: 'organisers',
  async seed({ post }) {
    await post(createFolder.path, { name: 'Support', color: 'blue' }, 'folder-support');
    await post(createLabel.path, { name: 'VIP', color: 'green' }, 'label-vip');
  },
};
