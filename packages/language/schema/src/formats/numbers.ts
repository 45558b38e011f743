/**
 * Numbers with check digits and similar. Ignores blanks and hyphens in an ISBN, and all but digits in a card number.
 */

export function isIsbn10(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{9}[0-9X]$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((sum, digit, index) => sum + (index + 1) * (digit === 'X' ? 10 : Number(digit)), 0) %
      11 ===
    0
  );
}

export function isIsbn13(text: string): boolean {
  const digits = withoutSeparators(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return (
    Array.from(digits).reduce((sum, digit, index) => sum + (index % 2 === 0 ? 1 : 3) * Number(digit), 0) % 10 === 0
  );
}

const withoutSeparators = (text: string): string => text.replaceAll(/[\t\n\f\r -]+/g, '');

const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})$/;

export function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/[^0-9]+/g, '');
  if (!CARD.test(digits)) return false;
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** Of the United States. */
export const isSocialSecurityNumber = (text: string): boolean =>
  text.length === 11 && /^[0-9]{3}[- ]?[0-9]{2}[- ]?[0-9]{4}$/.test(text);
