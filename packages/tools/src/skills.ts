export type { SkillFinding, SkippedSkill } from './skills/load-skills.js'
export type { FoundSkill, SkillText } from './skills/skill-tools.js'
export { type Skills, type SkillsOptions, type SkillTool, skills } from './skills/skills.js'
