import type { WireCase } from '../../wire-case.js'
import { assembly } from './assembly.js'
import { blocks } from './blocks.js'
import { finishing } from './finish.js'
import { framing } from './framing.js'
import { http } from './http.js'
import { shape } from './shape.js'

/** Every case of the Messages interface, area by area. */
export const messagesCases: readonly WireCase[] = [
  ...assembly,
  ...blocks,
  ...finishing,
  ...shape,
  ...framing,
  ...http,
]
