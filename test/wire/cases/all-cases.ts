import type { WireCase } from '../wire-case.js'
import { argumentsOfCalls } from './arguments.js'
import { assembly } from './assembly.js'
import { finishing } from './finish.js'
import { framing } from './framing.js'
import { http } from './http.js'
import { names } from './names.js'
import { shape } from './shape.js'

/** Every case, area by area. */
export const allCases: readonly WireCase[] = [
  ...assembly,
  ...finishing,
  ...shape,
  ...argumentsOfCalls,
  ...names,
  ...framing,
  ...http,
]
