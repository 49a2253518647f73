// A reporter of Vitest for `.ci/run`: lists the skipped tests by reason, and fails the run when a test is skipped that
// allowed-skips.mjs does not name.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { allowedSkips } from './allowed-skips.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

export default class SkipReporter {
  onTestRunEnd(modules) {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => ({
        file: relative(root, module.moduleId),
        name: test.fullName.replaceAll(' > ', ' '),
        note: test.result().note,
      })),
    )
    const counts = new Map()
    const unlisted = []
    for (const { file, name, note } of skipped) {
      const allowed = allowedSkips.find(
        (one) => one.when !== false && file.startsWith(one.file) && one.names.test(name),
      )
      if (!allowed) unlisted.push(`  ${file}: ${name}${note ? ` (${note})` : ''}`)
      else counts.set(allowed.reason, (counts.get(allowed.reason) ?? 0) + 1)
    }
    for (const [reason, count] of counts) console.log(`Skipped ${count}: ${reason}`)
    if (unlisted.length === 0) return
    console.error(
      `Skipped, and not named in scripts/allowed-skips.mjs: ${unlisted.length}\n${unlisted.join('\n')}`,
    )
    process.exitCode = 1
  }
}
