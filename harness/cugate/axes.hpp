/* axes.hpp - axes of a family, such as sizes and types. <cugate/kernel.hpp> includes this file. */
#ifndef CUGATE_AXES_HPP
#define CUGATE_AXES_HPP

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace cugate {

/* A value on an axis: a whole number, such as a size, or a word, such as a type. */
class value {
  public:
    std::string label; /* how names show it: 16777216 is 16M */
    bool is_number;
    int64_t number = 0;

    template <class N, class = std::enable_if_t<std::is_integral_v<N> && !std::is_same_v<N, bool>>>
    value(N number_) : is_number(true), number(static_cast<int64_t>(number_))
    {
        int64_t rest = number;
        size_t suffix = 0;
        while (suffix < 3 && rest != 0 && rest % 1024 == 0) {
            rest /= 1024;
            suffix++;
        }
        label = std::to_string(rest) + std::string("KMG").substr(suffix - (suffix > 0), suffix > 0);
    }
    value(const char *word) : label(word), is_number(false)
    {
    }
    value(const std::string &word) : label(word), is_number(false)
    {
    }
};

/* A point: one value on each axis of a family. */
class point {
    std::vector<std::pair<std::string, value>> values; /* axes with their values, sorted by name */

    const value &find(const char *axis) const
    {
        for (const auto &[name, value] : values)
            if (name == axis)
                return value;
        throw std::invalid_argument(std::string("the family has no axis \"") + axis + "\"");
    }

  public:
    /* Returns the number on that axis. */
    int64_t operator[](const char *axis) const
    {
        const value &found = find(axis);
        if (!found.is_number)
            throw std::invalid_argument(std::string("\"") + found.label + "\" on the axis \"" + axis +
                                        "\" is no number");
        return found.number;
    }
    /* Returns the word on that axis; for a number its label, such as 16M. */
    const std::string &word(const char *axis) const
    {
        return find(axis).label;
    }

    point with(const std::string &axis, const value &value) const
    {
        point made = *this;
        const auto behind = [&](const auto &other) { return axis < other.first; };
        made.values.insert(std::find_if(made.values.begin(), made.values.end(), behind), {axis, value});
        return made;
    }
    std::string label() const
    {
        std::string text;
        for (const auto &[name, value] : values)
            text += (text.empty() ? "" : ",") + name + "=" + value.label;
        return text;
    }
};

/* A number of bytes or operations: the same for all points, or a function of the point. */
class amount {
    std::function<double(const point &)> of;

  public:
    amount(double number) : of([number](const point &) { return number; })
    {
    }
    template <class F, class = std::enable_if_t<std::is_invocable_r_v<double, F &, const point &>>>
    amount(F function) : of(std::move(function))
    {
    }
    double operator()(const point &at) const
    {
        return of(at);
    }
};

} // namespace cugate

#endif
