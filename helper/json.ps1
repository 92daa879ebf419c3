# JSON output. ConvertTo-Json of Windows PowerShell 5.1 stops at depth 2, writes dates as /Date(...)/ and unwraps lists.

# JSON from another program is passed on unchanged, so that numbers keep all digits. It is marked with a .NET type that nothing
# else here uses: a custom type name would be looked up in tables that runspaces share.
function New-RawJson {
    param([Parameter(Mandatory = $true)][string]$Text)
    New-Object -TypeName System.Text.StringBuilder -ArgumentList ($Text.Trim() -replace '[\r\n]+', ' ')
}

function Test-RawJson {
    param([AllowNull()][object]$Value)
    $Value -is [System.Text.StringBuilder]
}

# Lists are written element by element: this avoids the length limit of the serialiser, and a list of one element stays a list.
function ConvertTo-JsonText {
    param([AllowNull()][object]$Value)
    if ($null -eq $Value) { return 'null' }
    if (Test-RawJson -Value $Value) { return $Value.ToString() }
    if ($Value -is [System.Collections.IList]) {
        $parts = New-Object -TypeName System.Collections.Generic.List[string]
        foreach ($element in $Value) { $parts.Add((ConvertTo-JsonText -Value $element)) }
        return '[' + [string]::Join(',', $parts.ToArray()) + ']'
    }
    ConvertTo-Json -InputObject $Value -Depth 20 -Compress
}

function Format-Time {
    param([AllowNull()][object]$Time)
    if ($null -eq $Time) { return $null }
    ([System.DateTimeOffset]$Time).ToString('yyyy-MM-ddTHH:mm:sszzz', [System.Globalization.CultureInfo]::InvariantCulture)
}

# A property that may be missing, for which strict mode would throw. A list is returned as its elements: wrap the call in @().
function Get-Field {
    param([AllowNull()][object]$InputObject, [Parameter(Mandatory = $true)][string]$Name)
    if ($null -eq $InputObject) { return $null }
    $property = $InputObject.PSObject.Properties[$Name]
    if ($null -eq $property) { return $null }
    $property.Value
}

# A new object with those of the named properties that exist.
function Select-Field {
    param([Parameter(Mandatory = $true)][object]$InputObject, [Parameter(Mandatory = $true)][string[]]$Names)
    $fields = [ordered]@{}
    foreach ($name in $Names) {
        $property = $InputObject.PSObject.Properties[$name]
        if ($null -ne $property) { $fields[$name] = $property.Value }
    }
    [pscustomobject]$fields
}
