import type { WireCase } from '../../wire-case.js'
import { argumentsOfCalls } from './arguments.js'
import { assembly } from './assembly.js'
import { finishing } from './finish.js'
import { framing } from './framing.js'
import { http } from './http.js'
import { items } from './items.js'

/** Every case of `/responses`, area by area. */
export const allResponsesCases: readonly WireCase[] = [
  ...assembly,
  ...finishing,
  ...argumentsOfCalls,
  ...items,
  ...framing,
  ...http,
]
