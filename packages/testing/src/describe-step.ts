import { callsOf, textOf } from '@capstan/core/internal'
import { callInLine, inLine, wireCallInLine } from './in-line.js'
import type { ScriptStep } from './script-step.js'

/** A step of a script in one line, as it was written there. */
export function describeStep(step: ScriptStep): string {
  if (typeof step === 'function') return 'a function of the request'
  if (!('type' in step)) {
    const said = inLine(textOf(step.message.content))
    return ['a reply', ...(said === '' ? [] : [said]), ...callsOf(step.message).map(wireCallInLine)].join(' ')
  }
  if (step.type === 'text') return `text ${inLine(JSON.stringify(step.text))}`
  if (step.type === 'fail') return `fail ${step.code}`
  const calls = step.type === 'call' ? [step] : step.calls
  return `call ${calls.map((call) => callInLine(call.name, call.arguments)).join(' + ')}`
}
