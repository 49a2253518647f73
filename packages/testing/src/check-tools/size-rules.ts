import { eachPart, eachTool, type ToolRule } from './rule.js'

// Parameters that are too many, or too deep.

const mostLevels = 5
const deepNesting = eachTool(
  {
    name: 'deep-nesting',
    level: 'warning',
    finds: `parameters nested more than ${mostLevels} levels deep`,
  },
  ({ parts }) => {
    const deep = parts.find(({ depth }) => depth > mostLevels)
    if (!deep) return []
    const message = `It lies more than ${mostLevels} levels deep: models lose their way, and servers have bounds.`
    return [{ path: deep.path, message, fix: 'Make it flatter, or take it in two tools.' }]
  },
)

const mostParameters = 100
const manyParameters = eachTool(
  { name: 'many-parameters', level: 'warning', finds: `more than ${mostParameters} parameters in one tool` },
  ({ parts }) => {
    const count = parts.filter(({ name }) => name !== undefined).length
    if (count <= mostParameters) return []
    const message = `It has ${count} parameters, those of its objects included; servers have bounds from 100 up.`
    return [{ message, fix: 'Make several tools of it, or leave out what hardly anybody sets.' }]
  },
)

const mostChoices = 100
const manyChoices = eachPart(
  { name: 'many-choices', level: 'warning', finds: `more than ${mostChoices} values to choose from` },
  ({ schema }) => {
    const count = Array.isArray(schema.enum) ? schema.enum.length : 0
    if (count <= mostChoices) return undefined
    return {
      message: `${count} values to choose from: they cost tokens in every request, and servers have bounds.`,
      fix: 'Take a text, and answer a wrong one with those that come near; or offer a tool that searches.',
    }
  },
)

export const sizeRules: readonly ToolRule[] = [deepNesting, manyParameters, manyChoices]
