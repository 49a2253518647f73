import { setTimeout as sleep } from 'node:timers/promises'
import { type Rescue, rescue } from './rescue.js'
import { type Alive, type Heartbeat, hasWorker } from './workers.js'

/** Says that this worker is there, and takes over from those that are not; gives what ends both. */
export function keepWatch(me: Alive, heartbeat: Heartbeat, watch: Rescue): () => Promise<void> {
  const end = new AbortController()
  let lastAway = Number.NEGATIVE_INFINITY
  const watching = (async () => {
    for await (const _ of every(watch.deadAfterMs / 4, end.signal)) {
      try {
        await heartbeat.beat()
        // After the database was away all have been silent: they get the time to say that they are there.
        if (performance.now() - lastAway > watch.deadAfterMs) await rescue(watch)
        await promote(me, watch)
      } catch {
        lastAway = performance.now()
      }
    }
  })()
  return async () => {
    end.abort()
    await watching
  }
}

/** Runs that begin are for the latest version: when nobody of that is left, as after a step back, it is this one. */
async function promote({ place, version }: Alive, { client, pool, deadAfterMs }: Rescue): Promise<void> {
  const { versionName } = await client.getLatestApplicationVersion()
  if (versionName === version || (await hasWorker(pool, { place, version: versionName }, deadAfterMs))) return
  await client.setLatestApplicationVersion(version)
}

async function* every(ms: number, signal: AbortSignal): AsyncGenerator<void> {
  while (!signal.aborted) {
    yield
    await sleep(ms, undefined, { signal }).catch(() => {})
  }
}
