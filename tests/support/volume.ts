import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@parley/testing';

const run = promisify(execFile);

/**
 * A file system on a disk of its own, which is a file. Data that the kernel has not written to that file yet would
 * be lost with the power, so a copy of the file is the disk as found after a power loss.
 */
export interface Volume {
  readonly folder: string;
  /**
   * Keeps a copy of the disk as it is at one instant. Writers stand still meanwhile, so nothing may need to write
   * for long.
   */
  keepDisk(): Promise<void>;
  /**
   * Puts the kept copy in place of the disk; the file system recovers as after a power loss. No file on it may be
   * open.
   */
  returnToKept(): Promise<void>;
  remove(): Promise<void>;
}

/** Why such a volume cannot be made on this machine; undefined when it can. */
export async function whyNoVolume(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'only Linux has loop devices';
  if (process.getuid?.() !== 0) return 'only root may mount a file system';
  try {
    await (await createVolume(16)).remove();
    return undefined;
  } catch (error) {
    return `no ext4 file system on a loop device can be made here (${error instanceof Error ? error.message.trim() : error})`;
  }
}

export async function createVolume(sizeMb: number): Promise<Volume> {
  const place = await mkdtemp(join(tmpdir(), 'parley-volume-'));
  await chmod(place, 0o755);
  const [disk, kept, folder] = [join(place, 'disk'), join(place, 'kept'), join(place, 'mounted')];
  const file = await open(disk, 'w');
  await file.truncate(sizeMb * 2 ** 20);
  await file.close();
  await mkdir(folder);
  // Complete at once: otherwise the kernel would go on making the file system in the background.
  const complete = ['-E', 'lazy_itable_init=0,lazy_journal_init=0'];
  await run('mkfs.ext4', ['-q', '-F', '-m', '0', ...complete, disk]);
  const mount = () => run('mount', ['-o', 'loop,noatime', disk, folder]);
  // Processes that were killed let go of their files a moment later.
  const unmount = () => eventually(() => run('umount', [folder]), 30_000, 100);
  await mount();
  await chmod(folder, 0o755);
  return {
    folder,
    async keepDisk() {
      const device = await deviceOf(disk);
      for (;;) {
        const before = await writesOf(device);
        await run('cp', ['--sparse=auto', disk, kept]);
        if (before.inFlight === 0 && (await isUnchanged(device, before))) return;
      }
    },
    async returnToKept() {
      await unmount();
      await run('mv', [kept, disk]);
      await mount();
    },
    async remove() {
      await unmount();
      await rm(place, { recursive: true, force: true });
    },
  };
}

async function deviceOf(disk: string): Promise<string> {
  const { stdout } = await run('losetup', ['--noheadings', '--output', 'NAME', '--associated', disk]);
  return basename(stdout.trim());
}

interface Writes {
  readonly completed: number;
  readonly inFlight: number;
}

/** What a disk has written so far (the kernel's Documentation/block/stat.rst). */
async function writesOf(device: string): Promise<Writes> {
  const fields = (await readFile(`/sys/block/${device}/stat`, 'utf8')).trim().split(/\s+/).map(Number);
  return { completed: fields[4] ?? 0, inFlight: fields[8] ?? 0 };
}

async function isUnchanged(device: string, before: Writes): Promise<boolean> {
  const now = await writesOf(device);
  return now.completed === before.completed && now.inFlight === 0;
}
