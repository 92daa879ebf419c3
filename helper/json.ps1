# JSON out. Windows PowerShell 5.1 cuts at depth 2, writes dates as /Date(...)/ and collapses lists; all of it is met here.

# JSON that another program already wrote: it is passed on as it is, so that no number loses a digit.
# A type of .NET's that nothing else here is, because names of types are looked up in tables that runspaces share.
function New-RawJson {
    param([Parameter(Mandatory = $true)][string]$Text)
    New-Object -TypeName System.Text.StringBuilder -ArgumentList ($Text.Trim() -replace '[\r\n]+', ' ')
}

function Test-RawJson {
    param([AllowNull()][object]$Value)
    $Value -is [System.Text.StringBuilder]
}

# A list is written one element at a time: no length limit of the serialiser is near, and one element stays a list.
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

# A property that may not be there: strict mode would throw. A list comes out as its elements; take it in @().
function Get-Field {
    param([AllowNull()][object]$InputObject, [Parameter(Mandatory = $true)][string]$Name)
    if ($null -eq $InputObject) { return $null }
    $property = $InputObject.PSObject.Properties[$Name]
    if ($null -eq $property) { return $null }
    $property.Value
}

# The named properties that are there, as a new object.
function Select-Field {
    param([Parameter(Mandatory = $true)][object]$InputObject, [Parameter(Mandatory = $true)][string[]]$Names)
    $fields = [ordered]@{}
    foreach ($name in $Names) {
        $property = $InputObject.PSObject.Properties[$name]
        if ($null -ne $property) { $fields[$name] = $property.Value }
    }
    [pscustomobject]$fields
}
