// Prints the score of the planner for each part of its corpus, and the time per reply: node
// --conditions=development --import=tsx packages/service/test/score-planner.ts [--wrong]
import { blindCorpus, blindTools } from './blind-corpus.js'
import { devCorpus, devCorpusByKind } from './dev-corpus.js'
import { devTools } from './dev-tools.js'
import { everyPart, functionQuestions, lastParts, laterParts } from './every-part-corpus.js'
import { everydayCorpus } from './everyday-corpus.js'
import { everydayTools } from './everyday-tools.js'
import { type Field, fields } from './fields-corpus.js'
import { moreFields } from './fields-second-corpus.js'
import { fifthRequests } from './fifth-unseen-corpus.js'
import { fourthQuestions } from './fourth-questions-corpus.js'
import { fourthRequests } from './fourth-unseen-corpus.js'
import { freshCorpus, freshTools } from './fresh-corpus.js'
import { heldoutCorpus, heldoutKinds } from './heldout-corpus.js'
import { heldoutTools } from './heldout-tools.js'
import { lastCorpus } from './last-corpus.js'
import { lastTools } from './last-tools.js'
import { countVerdicts, type Measured, measureCorpus } from './measure-corpus.js'
import type { PlannerCase } from './planner-case.js'
import { questions } from './question-corpus.js'
import { secondCorpus, secondKinds } from './second-corpus.js'
import { secondTools } from './second-tools.js'
import type { SeventhPart } from './seventh-case.js'
import { assistantRequests, leaderboardQuestions, seventhRequests } from './seventh-unseen-corpus.js'
import { sixthRequests } from './sixth-unseen-corpus.js'
import { thirdQuestions } from './third-questions-corpus.js'
import { thirdRequests } from './third-unseen-corpus.js'
import { tradesCorpus } from './trades-corpus.js'
import { tradesTools } from './trades-tools.js'
import { tunedCorpus, tunedTools } from './tuned-corpus.js'
import { unseenQuestions, unseenRequests } from './unseen-corpus.js'
import { moreUnseenQuestions, moreUnseenRequests } from './unseen-second-corpus.js'
import { wideCorpus } from './wide-corpus.js'
import { wideTools } from './wide-tools.js'

const parts = {
  tuned: [tunedCorpus, tunedTools],
  fresh: [freshCorpus, freshTools],
  blind: [blindCorpus, blindTools],
  wide: [wideCorpus, wideTools],
  last: [lastCorpus, lastTools],
  trades: [tradesCorpus, tradesTools],
  everyday: [everydayCorpus, everydayTools],
  dev: [devCorpus, devTools],
  heldout: [heldoutCorpus, heldoutTools],
  second: [secondCorpus, secondTools],
} as const

/** The parts that are told apart by the kind of request. */
const kinds: Readonly<Record<string, Readonly<Record<string, readonly PlannerCase[]>>>> = {
  dev: devCorpusByKind,
  heldout: heldoutKinds,
  second: secondKinds,
}

const times: number[] = []
for (const [name, [corpus, tools]] of Object.entries(parts)) {
  const measured = measureCorpus(corpus, tools)
  times.push(...measured.flatMap((one) => one.times))
  const { right, asked, wrong } = countVerdicts(measured)
  const counts = `${right} of ${corpus.length} right, ${asked} asked, ${wrong} wrong calls`
  console.log(`${name.padEnd(8)} ${counts}, ${tools.length} tools offered`)
  for (const [kind, cases] of Object.entries(kinds[name] ?? {})) {
    const own = countVerdicts(measured.filter(({ one }) => cases.includes(one)))
    console.log(
      `  ${kind}: ${own.right} of ${cases.length} right, ${own.asked} asked, ${own.wrong} wrong calls`,
    )
  }
  showWrong(measured)
}
/** The parts whose requests choose among the tools of their field. */
const byField: Readonly<Record<string, readonly (Field & Pick<SeventhPart, 'now'>)[]>> = {
  fields: Object.values(fields),
  questions,
  'more fields': Object.values(moreFields),
  'every part': Object.values(everyPart),
  functions: functionQuestions,
  'later parts': Object.values(laterParts),
  'last parts': Object.values(lastParts),
  'unseen requests': Object.values(unseenRequests),
  'unseen questions': unseenQuestions,
  'more unseen requests': Object.values(moreUnseenRequests),
  'more unseen questions': moreUnseenQuestions,
  'third requests': Object.values(thirdRequests),
  'third questions': thirdQuestions,
  'fourth requests': Object.values(fourthRequests),
  'fifth requests': fifthRequests,
  'fourth questions': fourthQuestions,
  'sixth requests': sixthRequests,
  'seventh requests': seventhRequests,
  'assistant requests': assistantRequests,
  'leaderboard questions': leaderboardQuestions,
}
for (const [name, all] of Object.entries(byField)) {
  const measured = all.flatMap(({ cases, tools, now }) => measureCorpus(cases, tools, now))
  const { right, asked, wrong } = countVerdicts(measured)
  console.log(`${name.padEnd(8)} ${right} of ${measured.length} right, ${asked} asked, ${wrong} wrong calls`)
  showWrong(measured)
}

function showWrong(measured: readonly Measured[]): void {
  if (!process.argv.includes('--wrong')) return
  for (const { one, made, verdict } of measured.filter(({ right }) => !right))
    console.log(`  ${verdict}: "${one.ask}"\n    ${JSON.stringify(made)}`)
}

times.sort((one, other) => one - other)
const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1)
console.log(
  `an answer takes ${at(0.5)} ms at the median, ${at(0.95)} ms at the 95th percentile, ${at(0.9999)} ms at most`,
)
