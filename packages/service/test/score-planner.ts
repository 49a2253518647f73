// Prints the score of the planner for each part of its corpus, and the time per reply: node
// --conditions=development --import=tsx packages/service/test/score-planner.ts [--wrong]
import { blindCorpus, blindTools } from './blind-corpus.js'
import { freshCorpus, freshTools } from './fresh-corpus.js'
import { lastCorpus } from './last-corpus.js'
import { lastTools } from './last-tools.js'
import { measureCorpus } from './measure-corpus.js'
import { tunedCorpus, tunedTools } from './tuned-corpus.js'
import { wideCorpus } from './wide-corpus.js'
import { wideTools } from './wide-tools.js'

const parts = {
  tuned: [tunedCorpus, tunedTools],
  fresh: [freshCorpus, freshTools],
  blind: [blindCorpus, blindTools],
  wide: [wideCorpus, wideTools],
  last: [lastCorpus, lastTools],
} as const

const times: number[] = []
for (const [name, [corpus, tools]] of Object.entries(parts)) {
  const measured = measureCorpus(corpus, tools)
  times.push(...measured.flatMap((one) => one.times))
  const right = measured.filter((one) => one.right).length
  console.log(`${name.padEnd(6)} ${right} of ${corpus.length} right, ${tools.length} tools offered`)
  if (!process.argv.includes('--wrong')) continue
  for (const { one, made } of measured.filter(({ right }) => !right)) {
    console.log(`  "${one.ask}"\n    ${JSON.stringify(made)}`)
  }
}
times.sort((one, other) => one - other)
const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
console.log(
  `an answer takes ${at(0.5)} ms at the median, ${at(0.95)} ms at the 95th percentile, ${at(0.9999)} ms at most`,
)
