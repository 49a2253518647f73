// Writes the journals again: node --conditions=development --import=tsx packages/durable/test/journals/write-journals.ts
// Then: node_modules/.bin/biome format --write packages/durable/test/journals
import { writeFileSync } from 'node:fs'
import { approvals, runOver, type Segment } from './replay.js'
import { type StoredRun, storedRuns } from './stored-runs.js'

for (const [name, make] of Object.entries(storedRuns)) {
  const segments = await runToEnd(make(() => {}))
  writeFileSync(new URL(`version-1/${name}.json`, import.meta.url), `${JSON.stringify(segments, null, 2)}\n`)
}

/** Executes a run until it ends, and approves each pending call. */
async function runToEnd({ agent, input, options }: StoredRun): Promise<readonly Segment[]> {
  const segments: Segment[] = []
  let given = await agent.prepare(input, { ...options, runId: 'stored' })
  for (;;) {
    const segment = await runOver(agent, given, [])
    segments.push(segment)
    if (segment.end.stopReason !== 'pending') return segments
    given = await agent.prepare(segment.end, { decisions: approvals(segment.end) })
  }
}
