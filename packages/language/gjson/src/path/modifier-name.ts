/** The modifiers of gjson 1.18. */
export const modifierNames = [
  'pretty',
  'ugly',
  'reverse',
  'this',
  'flatten',
  'join',
  'valid',
  'keys',
  'values',
  'tostr',
  'fromstr',
  'group',
  'dig',
] as const;

export type ModifierName = (typeof modifierNames)[number];

export const isModifierName = (name: string): name is ModifierName =>
  (modifierNames as readonly string[]).includes(name);
