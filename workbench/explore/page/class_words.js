// Classes of replies and fields of a FEN in words; a test keeps these equal to drawing/reply_words.py.

export const CLASS_WORDS = {
  valid: "valid", ill_formed: "ill-formed", unparseable: "unreadable", absent: "without a FEN", failed: "failed",
  unscored: "not scored",
};

export const FIELD_WORDS = {
  placement: "pieces", side_to_move: "side to move", castling: "castling rights", en_passant: "en passant",
  halfmove_clock: "half-move clock", fullmove_number: "move number",
};
