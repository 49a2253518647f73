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

/** Returns the strictest verdict of the agent's policies, the tool's `needsApproval` and taint tracking. */
export function approve(
  call: PolicyCall,
  { settings }: Tool,
  { policies, taint }: Guards,
  view: PolicyView,
): Verdict | Promise<Verdict> {
  const { needsApproval = false } = settings
  if (policies.length === 0 && needsApproval === false) return taint ? taintVerdict(call, view) : allow
  const ofPolicies = policies.map((policy) => attempt(() => chain(policy(call, view), checkVerdict)))
  const ofTool = attempt(() => {
    const needed = typeof needsApproval === 'function' ? needsApproval(call.arguments, view) : needsApproval
    return chain(needed, (isNeeded) => (isNeeded ? ask(`"${call.name}" needs approval.`) : allow))
  })
  const verdicts = [...ofPolicies, ofTool, taint ? taintVerdict(call, view) : allow]
  return verdicts.some((verdict) => verdict instanceof Promise)
    ? Promise.all(verdicts).then(strictest)
    : strictest(verdicts as Verdict[])
}

/** Returns what is thrown as a rejection: throwing would leave the promises of other policies without a handler. */
function attempt(judge: () => Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
  try {
    return judge()
  } catch (error) {
    return Promise.reject(error)
  }
}

function taintVerdict({ name, readsOnly }: PolicyCall, { taintedBy }: PolicyView): Verdict {
  if (taintedBy === undefined || readsOnly) return allow
  const reason = `The model has read what "${taintedBy}" brought, which is not trusted, and "${name}" may change things.`
  return ask(reason)
}

/** @throws TypeError for an invalid verdict, which must not count as an approval */
function checkVerdict(verdict: Verdict): Verdict {
  if (['allow', 'deny', 'ask'].includes(verdict?.type)) return verdict
  throw new TypeError('A policy must return allow, deny(reason) or ask(reason).')
}
