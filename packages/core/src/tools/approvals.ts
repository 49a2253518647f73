import { chain } from '../async.js'
import {
  allow,
  ask,
  type Guards,
  type PolicyCall,
  type PolicyView,
  strictest,
  type Verdict,
} from './policies.js'
import type { Tool } from './tool.js'

/** Whether a call may run: by the agent's policies, the tool's own wish, and what the model has read. */
export function approve(
  call: PolicyCall,
  { settings }: Tool,
  { policies, taint }: Guards,
  view: PolicyView,
): Verdict | Promise<Verdict> {
  const { needsApproval = false } = settings
  if (policies.length === 0 && needsApproval === false) return taint ? ofTaint(call, view) : allow
  const said = policies.map((policy) => tried(() => chain(policy(call, view), checked)))
  const own = tried(() => {
    const wish = typeof needsApproval === 'function' ? needsApproval(call.arguments, view) : needsApproval
    return chain(wish, (yes) => (yes ? ask(`"${call.name}" needs approval.`) : allow))
  })
  const verdicts = [...said, own, taint ? ofTaint(call, view) : allow]
  return verdicts.some((verdict) => verdict instanceof Promise)
    ? Promise.all(verdicts).then(strictest)
    : strictest(verdicts as Verdict[])
}

/** What is thrown at once must not leave the promises of others behind, whose failure nobody would take. */
function tried(judge: () => Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
  try {
    return judge()
  } catch (error) {
    return Promise.reject(error)
  }
}

function ofTaint({ name, readsOnly }: PolicyCall, { taintedBy }: PolicyView): Verdict {
  if (taintedBy === undefined || readsOnly) return allow
  const why = `The model has read what "${taintedBy}" brought, which is not trusted, and "${name}" may change things.`
  return ask(why)
}

/** @throws TypeError for what is no verdict: it must not pass for a yes */
function checked(verdict: Verdict): Verdict {
  if (['allow', 'deny', 'ask'].includes(verdict?.type)) return verdict
  throw new TypeError('A policy must return allow, deny(reason) or ask(reason).')
}
