// The programs on the pages about other frameworks. The programs with plain `openai` run too.
import { approval } from './approval.js'
import { output } from './output.js'
import { steps } from './steps.js'
import * as openai from './theirs/openai.js'

const lines: string[] = []
for (const program of [steps, output, approval]) await program((line) => lines.push(line))
console.log(lines.join('\n'))

const theirs: string[] = []
for (const program of [openai.steps, openai.output, openai.approval])
  await program((line) => theirs.push(line))
console.log('the same lines with plain openai:', theirs.join('\n') === lines.join('\n'))
