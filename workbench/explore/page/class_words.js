// What a reply of each class is; a test keeps these equal to CLASS_WORDS in drawing/reply_words.py.

export const CLASS_WORDS = {
  valid: "valid", ill_formed: "ill-formed", unparseable: "unreadable", absent: "without a FEN", failed: "failed",
  unscored: "not scored",
};
