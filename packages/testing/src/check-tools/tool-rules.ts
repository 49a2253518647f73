import { ambiguityRules } from './ambiguity-rules.js'
import { codeRules } from './code-rules.js'
import { costRules } from './cost-rules.js'
import { descriptionRules } from './description-rules.js'
import { lostRules } from './lost-rules.js'
import { nameRules } from './name-rules.js'
import { parameterRules } from './parameter-rules.js'
import type { ToolRule } from './rule.js'
import { settingsRules } from './settings-rules.js'
import { shapeRules } from './shape-rules.js'
import { sizeRules } from './size-rules.js'
import { strictRules } from './strict-rules.js'
import { textFormRules } from './text-form-rules.js'

/** Every rule, in the order in which findings of one tool are told. */
export const toolRules: readonly ToolRule[] = [
  ...nameRules,
  ...descriptionRules,
  ...parameterRules,
  ...lostRules,
  ...codeRules,
  ...shapeRules,
  ...textFormRules,
  ...sizeRules,
  ...strictRules,
  ...settingsRules,
  ...ambiguityRules,
  ...costRules,
]
